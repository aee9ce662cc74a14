"""Addresses of signing in and out and of a person's choices; included before the admin's."""

from __future__ import annotations

from django.urls import path

from flowadmin.directory import pages, search_page

urlpatterns = [
    path("login/", pages.sign_in, name="login"),
    path("logout/", pages.sign_out, name="logout"),
    path("admin/login/", pages.admin_sign_in),
    path("directory/search", search_page.find, name="directory-search"),
    path("set-language/", pages.choose_language, name="set-language"),
    path("set-theme/", pages.choose_theme, name="set-theme"),
]
